/**
 * Stores in memory, for tests and for servers that may forget.
 *
 * @module
 */

import type { Stores } from '../ports/stores.ts'
import { createMemoryApiKeys } from './api-keys.ts'
import {
  createMemoryInvites,
  createMemoryKnownAddresses,
  createMemorySessions,
  createMemorySignIns,
  createMemoryUsedTokens,
} from './credentials.ts'
import { createMemoryGroups } from './groups.ts'
import { createMemoryLimits } from './limits.ts'
import { createMemoryState } from './state.ts'
import { createMemoryQuotas, createMemoryUsage } from './usage.ts'
import { createMemoryUsers } from './users.ts'

/** Stores that live as long as the process. */
export function createMemoryStores(): Stores {
  const state = createMemoryState()
  return {
    users: createMemoryUsers(state),
    rights: { revision: async () => state.revision },
    sessions: createMemorySessions(state),
    apiKeys: createMemoryApiKeys(state),
    invites: createMemoryInvites(state),
    signIns: createMemorySignIns(state),
    usedTokens: createMemoryUsedTokens(state),
    knownAddresses: createMemoryKnownAddresses(state),
    usage: createMemoryUsage(state),
    quotas: createMemoryQuotas(state),
    groups: createMemoryGroups(state),
    limits: createMemoryLimits(state),
  }
}
