import type { StatusResponse_State } from '@svc/backend-client/proto'
import type { LoadedModel } from '@svc/wire/native'
import type { Clock } from '../../../ports.ts'
import type { Residency } from '../../../residency/residency.ts'

type State = NonNullable<LoadedModel['state']>

/** A page asks every two seconds; a backend that takes longer than this has no state. */
const PATIENCE_MS = 1_000

/**
 * Creates a reader that asks the backend of a model for its state. It gives -1 when the backend gives no state in time.
 */
export function createStateReader({
  residency,
  clock,
}: {
  readonly residency: Pick<Residency, 'readStatus'>
  readonly clock: Pick<Clock, 'sleep'>
}): (name: string, options: { readonly signal: AbortSignal }) => Promise<State> {
  return async (name, { signal }) => {
    const late = new AbortController()
    const either = AbortSignal.any([signal, late.signal])
    const timeUp = clock.sleep(PATIENCE_MS, { signal: either }).then(
      () => undefined,
      () => undefined,
    )
    const status = await Promise.race([residency.readStatus(name, { signal: either }).catch(() => undefined), timeUp])
    late.abort()
    return status === undefined ? -1 : toState(status.state, await import('@svc/backend-client/proto'))
  }
}

function toState(state: StatusResponse_State, proto: typeof import('@svc/backend-client/proto')): State {
  switch (state) {
    case proto.StatusResponse_State.READY:
      return 2
    case proto.StatusResponse_State.BUSY:
      return 1
    case proto.StatusResponse_State.UNINITIALIZED:
      return 0
    default:
      return -1
  }
}
