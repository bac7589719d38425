package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/holter-sim/holter/heartbeat/version"
	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/traces"
)

// versionView is what this binary is and models.
type versionView struct {
	Holter     string   `json:"holter"`
	Go         string   `json:"go"`
	Platform   string   `json:"platform"`
	Kubernetes []string `json:"kubernetes"` // the series that it models
	Scenario   string   `json:"scenario"`
	Trace      string   `json:"trace"`
}

func (c *cli) versionCommand() *cobra.Command {
	var f *format
	cmd := &cobra.Command{
		Use:   "version",
		Short: "What this binary is, and what it models",
		Long: `Version prints the version of Holter, the Kubernetes versions that it models, and the formats that it reads
and writes.`,
		Example: `  holter version -o json`,
		Args:    none,
		RunE: func(*cobra.Command, []string) error {
			v := versionView{
				Holter:     binaryVersion(),
				Go:         runtime.Version(),
				Platform:   runtime.GOOS + "/" + runtime.GOARCH,
				Kubernetes: modelled(),
				Scenario:   scenario.APIVersion,
				Trace:      traces.Format,
			}
			if *f != asText {
				return c.printer.object(*f, v)
			}
			t := &table{}
			t.add("Holter", v.Holter)
			t.add("Go", v.Go+" "+v.Platform)
			t.add("models", "Kubernetes "+v.Kubernetes[0]+" to "+v.Kubernetes[len(v.Kubernetes)-1])
			t.add("scenario", v.Scenario)
			t.add("trace", v.Trace)
			t.print(&c.printer, "")
			return nil
		},
	}
	f = formatFlag(cmd)
	return cmd
}

// modelled are the series that the table of versions knows.
func modelled() []string {
	var series []string
	for minor := version.OldestSeries; minor <= version.NewestSeries; minor++ {
		series = append(series, version.Version{Minor: minor, Patch: version.Newest}.String())
	}
	return series
}

// binaryVersion is the module's version or, for a build from a work tree, its revision.
func binaryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	version, modified := "devel", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " with changes"
		}
	}
	return version + modified
}
