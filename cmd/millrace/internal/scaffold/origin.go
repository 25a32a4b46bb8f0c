package scaffold

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
)

const (
	languageModule = "github.com/millrace-hdl/millrace"
	goVersion      = "1.26"
)

// Origin is where a new module finds the language: a checkout, or a published
// version.
type Origin struct {
	Dir     string // absolute folder of a checkout, empty for a published version
	Version string // published version
}

// ErrNoOrigin is wrapped by the error of [Find] where nothing leads to the language.
var ErrNoOrigin = errors.New("cannot tell where the new module finds millrace: this command was built neither from a published " +
	"version nor from a checkout that is still there; name a checkout with --millrace DIR")

// Find returns where the running command itself comes from, or the checkout that
// the caller names. Failing both, it takes the one that the module around the
// working directory uses.
func Find(named string) (Origin, error) {
	if named != "" {
		return checkout(named)
	}
	info, _ := debug.ReadBuildInfo()
	_, source, _, _ := runtime.Caller(0)
	return find(info, source, listed)
}

// find decides: info is of the build, source this file as the compiler saw it, and
// listed asks the Go tool.
func find(info *debug.BuildInfo, source string, listed func() string) (Origin, error) {
	// Only what came through the module proxy has a checksum. A version alone says
	// nothing: a build in a checkout is stamped with one that exists nowhere else.
	if info != nil && info.Main.Path == languageModule && info.Main.Sum != "" {
		return Origin{Version: info.Main.Version}, nil
	}
	for dir := filepath.Dir(source); filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if o, err := checkout(dir); err == nil {
			return o, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if dir := listed(); dir != "" {
		if o, err := checkout(dir); err == nil {
			return o, nil
		}
	}
	return Origin{}, ErrNoOrigin
}

// listed is the folder of the language for the module around the working directory,
// empty if that does not use it.
func listed() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", languageModule).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// checkout is the origin in a folder whose go.mod says that it is the language.
func checkout(dir string) (Origin, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Origin{}, err
	}
	data, err := os.ReadFile(filepath.Join(abs, "go.mod"))
	if err != nil {
		return Origin{}, fmt.Errorf("%s is no checkout of millrace: %w", dir, err)
	}
	if got := modfile.ModulePath(data); got != languageModule {
		return Origin{}, fmt.Errorf("%s is no checkout of millrace: its go.mod is of module %q, not %s", dir, got, languageModule)
	}
	return Origin{Dir: abs}, nil
}

// version is what go.mod requires; with a replacement any will do.
func (o Origin) version() string {
	if o.Dir != "" {
		return "v0.0.0"
	}
	return o.Version
}

// sums are the checksums of a checkout, so that nobody need look them up.
func (o Origin) sums() ([]byte, error) {
	if o.Dir == "" {
		return nil, nil
	}
	return os.ReadFile(filepath.Join(o.Dir, "go.sum"))
}

// contains reports whether a folder lies inside the checkout.
func (o Origin) contains(dir string) (bool, error) {
	if o.Dir == "" {
		return false, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(o.Dir, abs)
	return err == nil && filepath.IsLocal(rel), nil
}
