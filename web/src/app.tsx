/** The frame: where one is, where one can go, whether changes come by themselves. */
import type { ComponentChildren } from "preact";
import { connection } from "./api.ts";
import { DoctorView } from "./doctor-view.tsx";
import { HomeView } from "./home-view.tsx";
import { ParkedView } from "./parked-view.tsx";
import { Boat, Command, Notice, ThemeButton } from "./parts.tsx";
import { hrefOf, PLACES, type PlaceName, type Route, route } from "./route.ts";
import { SessionView } from "./session-view.tsx";
import { SessionsView } from "./sessions-view.tsx";
import { StorageView } from "./storage-view.tsx";
import { WorktreesView } from "./worktrees-view.tsx";

export function App({ hasToken }: { readonly hasToken: boolean }) {
  if (!hasToken) return <Locked />;
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        To the content
      </button>
      <header class="top">
        <a class="brand" href={hrefOf({ kind: "home" })} aria-label="refloat, to the first view">
          <Boat />
          <span>refloat</span>
        </a>
        <nav aria-label="Places">
          {PLACES.map(([kind, title]) => (
            <Place key={kind} kind={kind} title={title} />
          ))}
        </nav>
        <div class="top-end">
          <Connection />
          <ThemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {connection.value === "refused" ? <Refused /> : null}
        <Here at={route.value} />
      </main>
    </>
  );
}

function toMain(): void {
  document.getElementById("main")?.focus();
}

function Place({ kind, title }: { readonly kind: PlaceName; readonly title: string }) {
  const at = route.value;
  const isHere = at.kind === kind || (kind === "sessions" && at.kind === "session");
  return (
    <a href={hrefOf({ kind })} aria-current={isHere ? "page" : undefined}>
      {title}
    </a>
  );
}

function Here({ at }: { readonly at: Route }) {
  switch (at.kind) {
    case "home":
      return <HomeView />;
    case "sessions":
      return <SessionsView look={at.look ?? {}} />;
    case "parked":
      return <ParkedView />;
    case "worktrees":
      return <WorktreesView />;
    case "doctor":
      return <DoctorView />;
    case "storage":
      return <StorageView />;
    case "session":
      return <SessionView key={at.session} session={at.session} tab={at.tab} />;
    default:
      return at satisfies never;
  }
}

function Connection() {
  const words = {
    live: "Changes appear by themselves",
    waiting: "Waiting for the server; what is shown may be old",
    refused: "The server does not know this page any more",
  } as const;
  return (
    <span class={`dot dot-${connection.value}`} role="status" title={words[connection.value]}>
      <span class="sr">{words[connection.value]}</span>
    </span>
  );
}

function Refused() {
  return (
    <Notice tone="bad" title="This page is no longer the server's">
      The server was started again, with another token. Open the address that it printed; nothing is lost.
    </Notice>
  );
}

function Locked() {
  return (
    <main class="locked">
      <Boat />
      <h1>This address is not enough</h1>
      <p>
        The page opens only with the token that <code>refloat serve</code> prints behind the <code>#</code>.
        In a terminal:
      </p>
      <Command text="refloat serve" />
      <p>Open the address that it prints. Nothing leaves this machine.</p>
    </main>
  );
}

export type Children = { readonly children?: ComponentChildren };
