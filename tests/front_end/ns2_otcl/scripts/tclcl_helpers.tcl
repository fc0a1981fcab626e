# What tclcl adds to every object.
Class T
T instproc addit {x} { $self add-to-list items_ $x }
T t
puts "[t addit a] [t addit b] [t addit a] [t set items_]"
puts "[t remove-from-list items_ a] [t set items_]"
puts [t extract-var tab(x)]
puts [t extract-var plain]
T public pub {} { return public }
T private priv {} { return private }
puts "[t pub] [t priv]"
t proc.public own {} { return own }
puts [t own]
puts [t tkvarname v]
T set default_ 5
T set other_ 6
t set other_ 1
puts [t init-vars -set 3 plain 4]
puts "[t set default_] [t set other_]"
