/** What is wrong, each finding with the command that mends it. */
import { useAsked } from "./asked.ts";
import { Command, Loaded } from "./parts.tsx";
import { count, shown, shownLine } from "./words.ts";

interface Findings {
  readonly findings: readonly {
    readonly check: string;
    readonly severity: "error" | "warning" | "info";
    readonly message: string;
    readonly command: string;
  }[];
}

export function DoctorView() {
  const told = useAsked<Findings>("/api/doctor");
  return (
    <>
      <h1>Doctor</h1>
      <Loaded of={told} waiting="Looking at the store, the workspace and the hooks …">
        {({ findings }) =>
          findings.length === 0 ? (
            <section class="hero hero-good">
              <p class="hero-word">Sound</p>
              <p>Nothing is wrong here.</p>
            </section>
          ) : (
            <>
              <p class="dim">
                {count(findings.length, "finding")}. Nothing is mended from this page: each says what to type.
              </p>
              <ul class="findings">
                {findings.map((one) => (
                  <li key={`${one.check} ${one.message}`} class={`finding finding-${one.severity}`}>
                    <p>
                      <span class={`badge severity-${one.severity}`}>{one.severity}</span>{" "}
                      <b>{shown(one.message)}</b>
                    </p>
                    <p class="dim">
                      found by the check <code>{shownLine(one.check)}</code>
                    </p>
                    <Command text={one.command} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}
