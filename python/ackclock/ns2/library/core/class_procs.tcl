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
        ::otcl::enable_module $name
        set modules [Node set module_list_]
        if {[lsearch $modules $name] < 0} {
            lappend modules $name
            Node set module_list_ $modules
        }
    }

    ::otcl::first_proc Node disable-module {name} {}

    # An address of a group that no other has.
    ::otcl::first_proc Node allocaddr {} {
        set address [expr [Simulator set McastAddr_]]
        Simulator set McastAddr_ [expr {$address + 1}]
        return $address
    }

    ::otcl::first_proc Node expandaddr {} {
        [Simulator instance] set-address-format expanded
        puts "Backward compatibility: Use \"set-address-format expanded\" instead of \"Node expandaddr\";"
    }
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

# Class variables of these queues have older names, too. The value is evaluated once more: an empty one is none, so that the
# variable is read, and words with blanks are several.
apply {{queues} {
    foreach {class names} $queues {
        set ::otcl::class_procs($class) [string map [list CLASS $class NAMES $names] {
            ::otcl::first_proc CLASS set {var {arg ""}} {
                if {$var in {NAMES}} {
                    set var [string map {- _} $var]
                }
                eval $self next $var $arg
            }
        }]
    }
}} {
    Queue/RED {queue-in-bytes_ drop-tail_ drop-front_ drop-rand_ ns1-compat_}
    Queue/DropTail drop-front_
}
