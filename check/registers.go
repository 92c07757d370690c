package check

func (j *judge) registers() {}
