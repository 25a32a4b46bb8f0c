package gen

import (
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// fileSystem is what writing a set of files needs of one.
type fileSystem interface {
	MkdirAll(dir string) error
	MkdirTemp(dir, prefix string) (string, error)
	ReadDir(dir string) ([]fs.DirEntry, error)
	ReadFile(name string) ([]byte, error)
	WriteFile(name string, data []byte) error // flushed to the disk
	Rename(from, to string) error
	Remove(name string) error
	RemoveAll(dir string) error
	SyncDir(dir string) error
	Lock(name string) (unlock func(), err error) // waits for whoever holds it
}

// osFiles is the real file system.
type osFiles struct{}

func (osFiles) MkdirAll(dir string) error                    { return os.MkdirAll(dir, 0o755) }
func (osFiles) MkdirTemp(dir, prefix string) (string, error) { return os.MkdirTemp(dir, prefix) }
func (osFiles) ReadDir(dir string) ([]fs.DirEntry, error)    { return os.ReadDir(dir) }
func (osFiles) ReadFile(name string) ([]byte, error)         { return os.ReadFile(name) }
func (osFiles) Rename(from, to string) error                 { return os.Rename(from, to) }
func (osFiles) Remove(name string) error                     { return os.Remove(name) }
func (osFiles) RemoveAll(dir string) error                   { return os.RemoveAll(dir) }

func (osFiles) WriteFile(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (osFiles) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

func (osFiles) Lock(name string) (func(), error) {
	lock := flock.New(name)
	if err := lock.Lock(); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}
