import { FEATURES } from '@svc/auth/access'
import * as z from 'zod'
import { AREAS } from './areas.ts'

/** Reply of `GET /.well-known/service.json`. */
export const discoveryReply = z.object({
  version: z.string(),
  endpoints: z.record(z.string(), z.string()),
  endpoint_groups: z.record(z.string(), z.record(z.string(), z.string())),
  capabilities: z.record(z.string(), z.boolean()),
})

const isServed = z.boolean()

/** Reply of `GET /api/features`: accounts, the areas of the server, and the feature switches of accounts. */
export const featuresReply = z.object({
  accounts: isServed.describe('whether people sign in with accounts'),
  ...toFlags(Object.keys(AREAS) as (keyof typeof AREAS)[]),
  ...toFlags(FEATURES.map(({ key }) => key)),
})

function toFlags<Name extends string>(names: readonly Name[]): Record<Name, typeof isServed> {
  // one entry for each name
  return Object.fromEntries(names.map((name) => [name, isServed])) as Record<Name, typeof isServed>
}

const entry = z.object({ name: z.string(), description: z.string(), tags: z.array(z.string()), url: z.string() })

/** Reply of `GET /api/instructions`. */
export const instructionListReply = z.object({ instructions: z.array(entry), hint: z.string() })

/** Query of a page. */
export const instructionQuery = z.object({ format: z.enum(['json', 'markdown']).optional() })
