package eval

import (
	"context"
	"errors"

	"github.com/koru-go/koru/check"
)

// TestResult is how one std/testing:test block went.
type TestResult struct {
	Title string
	Block *check.TestBlock
	// Err is nil if the test passed; the *[Fault] that failed it is in its chain.
	Err error
}

// Test runs the test blocks of a module in source order, each in a process of
// its own: stores are fresh, the rules and watches of the module are in force,
// mocks stand in for the verbs they name. Other top-level flows do not run
// (R76). report is told each result as it comes.
func (p *Program) Test(ctx context.Context, m *check.Module, host *Host, s Settings, report func(TestResult)) {
	for _, block := range m.Tests {
		err := p.runTest(ctx, m, block, host, s)
		report(TestResult{Title: block.Title, Block: block, Err: err})
		if Stopped(err) && ctx.Err() != nil {
			return
		}
	}
}

func (p *Program) runTest(ctx context.Context, m *check.Module, block *check.TestBlock, host *Host, s Settings) error {
	process, err := p.Start(host, s)
	if err != nil {
		return err
	}
	process.mocks = map[*check.Tor]*Code{}
	for _, mock := range block.Mocks {
		if process.mocks[mock.Tor], err = p.Compile(mock.Flow); err != nil {
			return asFault(err)
		}
	}
	for _, flow := range append(reactions(m), block.Flows...) {
		code, err := p.Compile(flow)
		if err != nil {
			return asFault(err)
		}
		if _, err := process.Execute(ctx, code, nil, nil); err != nil {
			return errors.Join(err, process.Close())
		}
	}
	return process.Close()
}

// reactions returns the top-level flows of a module that only say what happens
// when a store changes.
func reactions(m *check.Module) []*check.Flow {
	var flows []*check.Flow
	for _, f := range m.Flows {
		if f.Body == nil || len(f.Body.Steps) != 1 || f.Body.Steps[0].Call == nil {
			continue
		}
		switch f.Body.Steps[0].Call.Form {
		case check.StoreRule, check.StoreWatch:
			flows = append(flows, f)
		}
	}
	return flows
}

// asFault gives the first finding of a flow that cannot be compiled the form of
// a fault.
func asFault(err error) error {
	var u *Unrunnable
	if !errors.As(err, &u) || len(u.Diagnostics) == 0 {
		return err
	}
	d := u.Diagnostics[0]
	return &Fault{Code: d.Code, Message: d.Message, File: d.File, Span: d.Span, Err: err}
}
