package check

func (j *judge) declarations() {}

func (j *judge) registers() {}
