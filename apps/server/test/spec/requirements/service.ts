import { defineRequirements } from '../requirement.ts'

/** §1: the server as a whole. */
export const SERVICE = defineRequirements([
  {
    id: 'service:open:nothing-configured',
    section: '1',
    behavior: 'While neither shared keys nor accounts are configured, no route asks for credentials.',
    state: 'built',
  },
  {
    id: 'service:auth:side-by-side',
    section: '1',
    behavior: 'Shared keys and accounts can protect one server at the same time.',
    state: 'built',
  },
  {
    id: 'service:cache:private',
    section: '1',
    behavior: 'Replies that hold a secret or a person carry `Cache-Control: no-store`.',
    state: 'built',
  },
])
