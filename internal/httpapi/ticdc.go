package httpapi

import (
	"net/http"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/weirerr"
)

// namespace is the only one: our database dev.
const namespace = "default"

func (a *api) routeV2(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v2/health", a.health)
	mux.HandleFunc("GET /api/v2/status", a.status)
	mux.HandleFunc("POST /api/v2/log", a.v2(a.setLogLevel))
	mux.HandleFunc("GET /api/v2/captures", a.v2(a.captures))
	mux.HandleFunc("POST /api/v2/verify_table", a.v2(a.verifyTable))
	mux.HandleFunc("POST /api/v2/changefeeds", a.v2(inNamespace(a.create)))
	mux.HandleFunc("GET /api/v2/changefeeds", a.v2(inNamespace(a.list)))
	mux.HandleFunc("GET /api/v2/changefeeds/{id}", a.v2(inNamespace(a.get)))
	mux.HandleFunc("GET /api/v2/changefeeds/{id}/meta_info", a.v2(inNamespace(a.get)))
	mux.HandleFunc("PUT /api/v2/changefeeds/{id}", a.v2(inNamespace(a.update)))
	mux.HandleFunc("DELETE /api/v2/changefeeds/{id}", a.v2(inNamespace(a.remove)))
	mux.HandleFunc("POST /api/v2/changefeeds/{id}/pause", a.v2(inNamespace(a.pause)))
	mux.HandleFunc("POST /api/v2/changefeeds/{id}/resume", a.v2(inNamespace(a.resume)))
	mux.HandleFunc("GET /api/v2/changefeeds/{id}/status", a.v2(inNamespace(a.changefeedStatus)))
	mux.HandleFunc("GET /api/v2/changefeeds/{id}/synced", a.v2(inNamespace(a.synced)))
}

func inNamespace(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := checkNamespace(r.URL.Query().Get("namespace")); err != nil {
			return err
		}
		return h(w, r)
	}
}

func checkNamespace(s string) error {
	if s == "" || s == namespace {
		return nil
	}
	return weirerr.New(weirerr.InvalidArgument, "there is no such namespace").With("namespace", s).
		Hint("the only one is %s", namespace)
}

func (a *api) health(w http.ResponseWriter, r *http.Request) {
	if err := a.Ready(); err != nil {
		a.fail(w, r, http.StatusInternalServerError, err)
		return
	}
	respond(w, http.StatusOK, empty{})
}

type serverStatus struct {
	Version   string `json:"version"`
	GitHash   string `json:"git_hash"`
	ID        string `json:"id"`
	ClusterID string `json:"cluster_id"`
	PID       int    `json:"pid"`
	IsOwner   bool   `json:"is_owner"`
	Liveness  int    `json:"liveness"` // 0 alive, 1 stopping
}

func (a *api) status(w http.ResponseWriter, r *http.Request) {
	s := serverStatus{
		Version: a.Node.Version, GitHash: a.Node.GitHash, ID: a.Node.ID, ClusterID: a.Node.Cluster,
		PID: a.Node.PID, IsOwner: true,
	}
	if r.Context().Err() != nil {
		s.Liveness = 1
	}
	respond(w, http.StatusOK, s)
}

func (a *api) setLogLevel(w http.ResponseWriter, r *http.Request) error {
	var req struct {
		Level string `json:"log_level"`
	}
	if err := read(w, r, &req); err != nil {
		return err
	}
	if err := a.Level.UnmarshalText([]byte(req.Level)); err != nil {
		return weirerr.New(weirerr.InvalidArgument, "log_level is %q", req.Level).Hint("allowed is debug, info, warn, error")
	}
	a.Logger.Info("log level set", "level", a.Level.Level())
	respond(w, http.StatusOK, empty{})
	return nil
}

type capture struct {
	ID        string `json:"id"`
	IsOwner   bool   `json:"is_owner"`
	Address   string `json:"address"`
	ClusterID string `json:"cluster_id"`
}

func (a *api) captures(w http.ResponseWriter, _ *http.Request) error {
	respond(w, http.StatusOK, listOf([]capture{{a.Node.ID, true, a.Node.Address, a.Node.Cluster}}))
	return nil
}

func (a *api) create(w http.ResponseWriter, r *http.Request) error {
	var body createBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	req, err := body.request()
	if err != nil {
		return err
	}
	info, err := a.Control.CreateChangefeed(r.Context(), req)
	if err == nil {
		respond(w, http.StatusOK, a.detail(info))
	}
	return err
}

// list hides finished and removed changefeeds unless asked for.
func (a *api) list(w http.ResponseWriter, r *http.Request) error {
	states := []control.State{control.StateNormal, control.StateWarning, control.StatePending, control.StateFailed, control.StateStopped}
	switch s := control.State(r.URL.Query().Get("state")); s {
	case "":
	case "all":
		states = nil
	case control.StateNormal, control.StateWarning, control.StatePending, control.StateFailed, control.StateStopped,
		control.StateFinished, control.StateRemoved:
		states = []control.State{s}
	default:
		return weirerr.New(weirerr.InvalidArgument, "state is %q", s).
			Hint("allowed is all, normal, warning, pending, failed, stopped, finished, removed")
	}
	infos, err := a.Control.ListChangefeeds(r.Context(), states...)
	if err != nil {
		return err
	}
	items := make([]listItem, len(infos))
	for i := range infos {
		items[i] = a.item(infos[i])
	}
	respond(w, http.StatusOK, listOf(items))
	return nil
}

func (a *api) get(w http.ResponseWriter, r *http.Request) error {
	info, err := a.Control.GetChangefeed(r.Context(), r.PathValue("id"))
	if err == nil {
		respond(w, http.StatusOK, a.detail(info))
	}
	return err
}

func (a *api) update(w http.ResponseWriter, r *http.Request) error {
	var body updateBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	req, err := body.request()
	if err != nil {
		return err
	}
	info, err := a.Control.UpdateChangefeed(r.Context(), r.PathValue("id"), req)
	if err == nil {
		respond(w, http.StatusOK, a.detail(info))
	}
	return err
}

func (a *api) remove(w http.ResponseWriter, r *http.Request) error {
	_, err := a.Control.RemoveChangefeed(r.Context(), r.PathValue("id"))
	if err == nil {
		respond(w, http.StatusOK, empty{})
	}
	return err
}

func (a *api) pause(w http.ResponseWriter, r *http.Request) error {
	err := a.Control.PauseChangefeed(r.Context(), r.PathValue("id"))
	if err == nil {
		respond(w, http.StatusOK, empty{})
	}
	return err
}

func (a *api) resume(w http.ResponseWriter, r *http.Request) error {
	var body resumeBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	err := a.Control.ResumeChangefeed(r.Context(), r.PathValue("id"), body.OverwriteCheckpointTs)
	if err == nil {
		respond(w, http.StatusOK, empty{})
	}
	return err
}

func (a *api) changefeedStatus(w http.ResponseWriter, r *http.Request) error {
	info, err := a.Control.GetChangefeed(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	s := statusBody{State: info.Status.State, ResolvedTs: info.Status.ResolvedTs, CheckpointTs: info.Status.CheckpointTs}
	if info.Status.State == control.StateWarning {
		s.LastWarning = a.runningError(info.Status.Error)
	} else {
		s.LastError = a.runningError(info.Status.Error)
	}
	respond(w, http.StatusOK, s)
	return nil
}

func (a *api) verifyTable(w http.ResponseWriter, r *http.Request) error {
	var body verifyTableBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	rules, err := body.rules()
	if err != nil {
		return err
	}
	choice, err := a.Control.VerifyTables(r.Context(), body.Source, rules, body.SinkURI)
	if err != nil {
		return err
	}
	out := verifyTableAnswer{Ineligible: []tableName{}, Eligible: []tableName{}}
	for _, t := range choice.Eligible {
		out.Eligible = append(out.Eligible, tableName{Database: t.Namespace, Table: t.Name, ID: t.ID})
	}
	for _, t := range choice.Ineligible {
		out.Ineligible = append(out.Ineligible, tableName{Database: t.Namespace, Table: t.Name, ID: t.ID, Reason: t.Reason})
	}
	respond(w, http.StatusOK, out)
	return nil
}
