// @bun
import{queuedNames}from"./ngn1648t.js";import{resolvePaths}from"./q5y17hra.js";async function sweepQueue(env){if(queuedNames(resolvePaths(env).state).length===0)return!1;let{startDetached}=await import("./46rw6eqa.js");return startDetached(["knowledge","flush","--wait"],env),!0}
export{sweepQueue};
