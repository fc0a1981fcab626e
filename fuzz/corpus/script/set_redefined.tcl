proc set step_ 2
set ns [new Simulator]
