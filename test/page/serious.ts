/** Asked in a page where axe-core was put: what it calls serious. */
export const SERIOUS = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))`;
