import * as z from 'zod'
import { DEFAULT_LIMIT } from './default-limit.ts'

const text = (about: string) => z.string().optional().describe(about)
/** The query of the list of decisions. */
export const decisionQuery = z.object({
  correlation_id: text('Decisions of one request.'),
  user_id: text('Decisions of one user.'),
  router_model: text('Decisions of one router.'),
  limit: text(`How many at most, ${DEFAULT_LIMIT} when it is left out.`),
})
