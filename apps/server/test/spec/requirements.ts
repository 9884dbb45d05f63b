import { AUTHENTICATION } from './requirements/authentication.ts'
import { ENDPOINTS } from './requirements/endpoints.ts'
import { ERRORS } from './requirements/errors.ts'
import { EVENTS } from './requirements/events.ts'
import { FILTERING } from './requirements/filtering.ts'
import { LIMITS } from './requirements/limits.ts'
import { MANAGEMENT } from './requirements/management.ts'
import { MODEL_BLOCKS } from './requirements/model-blocks.ts'
import { PIPELINES } from './requirements/pipelines.ts'
import { PROXYING } from './requirements/proxying.ts'
import { REALTIME } from './requirements/realtime.ts'
import { REALTIME_CALLS } from './requirements/realtime-calls.ts'
import { RESOURCES } from './requirements/resources.ts'
import { ROUTING } from './requirements/routing.ts'
import { SERVICE } from './requirements/service.ts'
import { STATES } from './requirements/states.ts'
import { VERSIONING } from './requirements/versioning.ts'

/** Every normative line of the specification, in its order. */
export const REQUIREMENTS = [
  ...SERVICE,
  ...RESOURCES,
  ...MODEL_BLOCKS,
  ...STATES,
  ...ENDPOINTS,
  ...MANAGEMENT,
  ...AUTHENTICATION,
  ...EVENTS,
  ...FILTERING,
  ...ROUTING,
  ...PROXYING,
  ...REALTIME,
  ...REALTIME_CALLS,
  ...PIPELINES,
  ...ERRORS,
  ...LIMITS,
  ...VERSIONING,
] as const

/** Id of a line. */
export type RequirementId = (typeof REQUIREMENTS)[number]['id']
