import type { RouteRequirement } from '@svc/auth/access'

/** Who may use the assistant: administrators, and accounts whose switch is on. Each of its tools asks for more. */
export const ASSISTANT_RIGHT = { access: 'any', feature: 'assistant' } as const satisfies RouteRequirement
