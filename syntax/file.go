package syntax

// File is one parsed source file.
type File struct{ Name string }
