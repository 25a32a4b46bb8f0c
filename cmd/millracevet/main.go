// Command millracevet finds mistakes in descriptions of hardware that Go's
// compiler lets pass. It runs under go vet, in any module that uses the language:
//
//	go get -tool github.com/millrace-hdl/millrace/cmd/millracevet
//	go vet -vettool=$(go tool -n millracevet) ./...
//
// Package hdl/vet says what it finds. A single check is chosen or left out with its
// name as a flag, such as -hdlunused=false.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/millrace-hdl/millrace/hdl/vet"
)

func main() { unitchecker.Main(vet.Analyzers()...) }
