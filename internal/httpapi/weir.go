package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/weirerr"
)

const (
	defaultWait = time.Minute
	maxWait     = 24 * time.Hour
)

// list is how every collection answers.
type list[T any] struct {
	Total int `json:"total"`
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{Total: len(items), Items: items}
}

func (a *api) routeWeir(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/weir/sources", a.own(a.createSource))
	mux.HandleFunc("GET /api/weir/sources", a.own(a.listSources))
	mux.HandleFunc("GET /api/weir/sources/{name}", a.own(a.getSource))
	mux.HandleFunc("DELETE /api/weir/sources/{name}", a.own(a.dropSource))
	mux.HandleFunc("POST /api/weir/sources/{name}/resync", a.own(a.resyncSource))
	mux.HandleFunc("GET /api/weir/log", a.own(a.logStatus))
	mux.HandleFunc("POST /api/weir/changefeeds/{id}/wait", a.own(a.wait))
	mux.HandleFunc("POST /api/weir/changefeeds/{id}/verify", a.own(a.verify))
}

func (a *api) createSource(w http.ResponseWriter, r *http.Request) error {
	var req control.CreateSource
	if err := read(w, r, &req); err != nil {
		return err
	}
	info, err := a.Control.CreateSource(r.Context(), req)
	if err == nil {
		respond(w, http.StatusOK, info)
	}
	return err
}

func (a *api) listSources(w http.ResponseWriter, r *http.Request) error {
	infos, err := a.Control.ListSources(r.Context())
	if err == nil {
		respond(w, http.StatusOK, listOf(infos))
	}
	return err
}

func (a *api) getSource(w http.ResponseWriter, r *http.Request) error {
	info, err := a.Control.GetSource(r.Context(), r.PathValue("name"))
	if err == nil {
		respond(w, http.StatusOK, info)
	}
	return err
}

func (a *api) dropSource(w http.ResponseWriter, r *http.Request) error {
	cascade, err := queryBool(r, "cascade")
	if err != nil {
		return err
	}
	force, err := queryBool(r, "force")
	if err != nil {
		return err
	}
	err = a.Control.DropSource(r.Context(), r.PathValue("name"), control.DropSource{Cascade: cascade, Force: force})
	if err == nil {
		respond(w, http.StatusOK, empty{})
	}
	return err
}

func (a *api) resyncSource(w http.ResponseWriter, r *http.Request) error {
	err := a.Control.ResyncSource(r.Context(), r.PathValue("name"))
	if err == nil {
		respond(w, http.StatusOK, empty{})
	}
	return err
}

func (a *api) logStatus(w http.ResponseWriter, r *http.Request) error {
	channels, err := a.Control.LogStatus(r.Context())
	if err == nil {
		respond(w, http.StatusOK, listOf(channels))
	}
	return err
}

func (a *api) wait(w http.ResponseWriter, r *http.Request) error {
	timeout, err := queryDuration(r, "timeout", defaultWait)
	if err != nil {
		return err
	}
	if timeout > maxWait {
		return weirerr.New(weirerr.InvalidArgument, "timeout is %s", timeout).Hint("at most %s", maxWait)
	}
	leave, err := a.enter()
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	delivered, err := a.Control.Wait(ctx, r.PathValue("id"))
	if err == nil {
		respond(w, http.StatusOK, delivered)
	}
	return err
}

func (a *api) verify(w http.ResponseWriter, r *http.Request) error {
	limit, err := queryInt(r, "limit")
	if err != nil {
		return err
	}
	leave, err := a.enter()
	if err != nil {
		return err
	}
	defer leave()
	report, err := a.Control.Verify(r.Context(), r.PathValue("id"), limit)
	if err == nil {
		respond(w, http.StatusOK, report)
	}
	return err
}
