import { it } from 'vitest'
import type { RequirementId } from './requirements.ts'

/**
 * Declares a test that proves requirements. `coverage.test.ts` looks for the citation.
 *
 * @example
 * verifies('errors:unmatched:not-found', 'an undefined route is 404', async () => { … })
 */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  run: () => void | Promise<void>,
): void {
  it(`${name} [${[ids].flat().join(', ')}]`, run)
}

/**
 * Declares a requirement that is known not to hold yet: the test must fail, and turns red once the requirement holds.
 *
 * @public none is known at the moment
 */
export function knownGap(id: RequirementId, name: string, run: () => void | Promise<void>): void {
  it.fails(`${name} [${id}]`, run)
}
