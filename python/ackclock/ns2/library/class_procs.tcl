# Procs of the library's classes themselves (Python's classes implement what their objects do).

Simulator proc instance {} {
    foreach class [concat Simulator [Simulator info subclass]] {
        set found [$class info instances]
        if {$found ne {}} {
            return $found
        }
    }
    error "there is no Simulator yet: `set ns \[new Simulator\]` comes first"
}

Simulator proc hier-addr? {} {
    expr {[Simulator set AddressFormat_] eq "HIER"}
}

# Modules that nodes are made with; set-address-format makes nodes with the hierarchical one.
Node proc enable-module {name} {
    if {$name ne "Base"} {
        error "ns-2 has the node module $name; ackclock does not have it yet"
    }
}

Node proc disable-module {name} {}

Agent proc set-maxttl {where variable} {
    set least [Agent set ttl_]
    if {[catch {$where set $variable} value] || $value < $least} {
        $where set $variable $least
    }
    $where set $variable
}
