module github.com/millrace-hdl/millrace

go 1.26
