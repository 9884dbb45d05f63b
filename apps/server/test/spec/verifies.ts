import { it } from 'vitest'
import type { RequirementId } from './requirements.ts'

/**
 * A test that proves requirements. The citation is what `coverage.test.ts` looks for.
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
 * A requirement known not to hold yet: runs as an expected failure and turns red once it holds.
 *
 * @public none is known at the moment
 */
export function knownGap(id: RequirementId, name: string, run: () => void | Promise<void>): void {
  it.fails(`${name} [${id}]`, run)
}
