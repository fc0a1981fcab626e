# Procs of the library's classes themselves (Python's classes implement what their objects do), there as soon as the class
# is.

set ::otcl::class_procs(Simulator) {
    ::otcl::first_proc Simulator instance {} {
        if {[set only [::otcl::py_only_simulator]] ne {}} {
            return $only
        }
        foreach class [concat Simulator [Simulator info subclass]] {
            set found [$class info instances]
            if {$found ne {}} {
                return $found
            }
        }
        error "there is no Simulator yet: `set ns \[new Simulator\]` comes first"
    }

    ::otcl::first_proc Simulator hier-addr? {} {
        expr {[Simulator set AddressFormat_] eq "HIER"}
    }
}

# Modules that nodes are made with; set-address-format makes nodes with the hierarchical one.
set ::otcl::class_procs(Node) {
    ::otcl::first_proc Node enable-module {name} {
        if {$name ne "Base"} {
            error "ns-2 has the node module $name; ackclock does not have it yet"
        }
    }

    ::otcl::first_proc Node disable-module {name} {}
}

set ::otcl::class_procs(Agent) {
    ::otcl::first_proc Agent set-maxttl {where variable} {
        set least [Agent set ttl_]
        if {[catch {$where set $variable} value] || $value < $least} {
            $where set $variable $least
        }
        $where set $variable
    }
}
