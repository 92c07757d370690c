package check

// values finds the constants and stores that the file declares.
func (j *judge) values() {}

func (j *judge) declarations() {}

func (j *judge) registers() {}
