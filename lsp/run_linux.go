package lsp

import (
	"os/exec"
	"syscall"
)

// diesWithUs makes the system kill a process when this one ends, however it does.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
