package check

// Mute turns one rule off, by its code.
func (o *Options) Mute(code string) { o.muted = code }
