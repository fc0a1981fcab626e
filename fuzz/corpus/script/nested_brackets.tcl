eval [string repeat {[} 60000]
