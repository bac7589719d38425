package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/holter-sim/holter/scenario"
	"github.com/holter-sim/holter/serve"
)

// faultFlags are the flags of fault.
type faultFlags struct {
	kubeconfig, file string
}

func (c *cli) faultCommand() *cobra.Command {
	var f faultFlags
	cmd := &cobra.Command{
		Use:   "fault [FAULT]",
		Short: "Let a fault strike in a simulation that holter serve runs",
		Long: `Fault lets something go wrong in a simulation that holter serve runs: any fault that a scenario can have, written
as an entry of its faults, without at, because it strikes at once. Without for it lasts to the end of the run.

It exits with 2 if the fault is not what it has to be, which it says in one line.`,
		Example: `  holter fault --kubeconfig sim.kubeconfig 'kill: {node: node-1}'
  holter fault --kubeconfig sim.kubeconfig '{partition: {nodes: [node-0]}, for: 90s}'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usage(cmd, "one fault at a time, not %d; put it into quotes", len(args))
			case len(args) == 1 && f.file != "":
				return usage(cmd, "a fault and --filename: give one of the two")
			case len(args) == 0 && f.file == "":
				return usage(cmd, "the fault is missing, or --filename")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.injectFault(cmd, args, f) },
	}
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "the kubeconfig `FILE` that leads to the simulation; those of KUBECONFIG otherwise")
	cmd.Flags().StringVarP(&f.file, "filename", "f", "", "read the fault from `FILE`, or - for standard input")
	return cmd
}

func (c *cli) injectFault(cmd *cobra.Command, args []string, f faultFlags) error {
	text, source, err := c.faultText(args, f.file)
	if err != nil {
		return err
	}
	config, err := c.clientConfig(cmd, f.kubeconfig)
	if err != nil {
		return err
	}
	status, err := sendFault(config, text, source)
	if err != nil {
		return err
	}
	c.printer.line("struck at %s", status.Now)
	return nil
}

// mostFault bounds the text of a fault, as the server does.
const mostFault = 1 << 20

// faultText is the fault as it was written, and what messages call that.
func (c *cli) faultText(args []string, path string) (text []byte, source string, err error) {
	if len(args) == 1 {
		return []byte(args[0]), "", nil
	}
	from, err := c.stdin(path)
	if err != nil {
		return nil, "", err
	}
	if from == nil {
		file, err := os.Open(path)
		if err != nil {
			return nil, "", unreadable(path, err)
		}
		defer file.Close()
		from = file
	}
	text, err = io.ReadAll(io.LimitReader(from, mostFault+1))
	switch {
	case err != nil:
		return nil, "", unreadable(path, err)
	case len(text) > mostFault:
		return nil, "", &scenario.InputError{File: scenario.DisplayName(path), Message: "is too large to be a fault", Accepted: "up to 1 MiB"}
	}
	return text, scenario.DisplayName(path), nil
}

func unreadable(path string, err error) error {
	return &scenario.InputError{File: scenario.DisplayName(path), Value: path, Message: "cannot be read: " + pathProblem(err)}
}

// pathProblem is an error of a path without the path, which is said elsewhere.
func pathProblem(err error) string {
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &inner):
		return inner.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return err.Error()
}

// clientConfig is the way to the simulation, by the rules of kubectl.
func (c *cli) clientConfig(cmd *cobra.Command, path string) (*rest.Config, error) {
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path, Precedence: filepath.SplitList(c.getenv("KUBECONFIG"))}
	named := "--kubeconfig"
	if path == "" {
		if named = "KUBECONFIG"; len(rules.Precedence) == 0 {
			return nil, usage(cmd, "--kubeconfig is missing, and KUBECONFIG is not set")
		}
		path = c.getenv("KUBECONFIG")
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		problem := "is no kubeconfig that leads anywhere"
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			problem = "cannot be read: " + pathProblem(err)
		}
		return nil, &scenario.InputError{Field: named, Value: path, Message: quoted(path) + " " + problem,
			Accepted: "the kubeconfig that holter serve has written"}
	}
	config.Timeout = time.Minute
	return config, nil
}

// sendFault has the simulation judge the fault, and let it strike.
func sendFault(config *rest.Config, text []byte, source string) (serve.Status, error) {
	var status serve.Status
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return status, err
	}
	base := strings.TrimSuffix(config.Host, "/")
	resp, err := client.Post(base+"/holter/v1/fault?source="+url.QueryEscape(source), "application/yaml", bytes.NewReader(text))
	if err != nil {
		return status, fmt.Errorf("no simulation answers, is holter serve running? %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostFault))
	if err != nil {
		return status, err
	}
	var problem metav1.Status
	switch {
	case resp.StatusCode == http.StatusOK && json.Unmarshal(body, &status) == nil && status.Now != "":
		return status, nil
	case json.Unmarshal(body, &problem) != nil || problem.Message == "" || resp.StatusCode == http.StatusNotFound:
		return status, fmt.Errorf("%s is no simulation: it answers %s", base, resp.Status)
	case resp.StatusCode == http.StatusBadRequest:
		return status, &scenario.InputError{Message: problem.Message}
	}
	return status, errors.New(problem.Message)
}
