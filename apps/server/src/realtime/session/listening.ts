import type { StageCall } from '../ports.ts'
import type { SessionContext } from './session-context.ts'
import type { BegunTurn } from './turn-caller.ts'

/** The right to listen in the name of the caller. It is asked for anew with each turn. */
export interface Listening {
  /** @param signal ends the call too @throws {SvcError} where the rights have gone */
  call(signal?: AbortSignal): Promise<StageCall>
  /** Ends the calls of the present turn. */
  end(): void
}

/** Creates the listening of a session. */
export function createListening(context: Pick<SessionContext, 'begin' | 'signal'>): Listening {
  let begun: Promise<BegunTurn> | undefined
  return {
    async call(signal) {
      context.signal.throwIfAborted()
      const asked = begun ?? context.begin({ signal: context.signal })
      begun = asked
      // a look-up that failed is made anew
      asked.catch(() => {
        if (begun === asked) begun = undefined
      })
      const turn = await asked
      return {
        caller: turn.caller,
        signal: signal === undefined ? turn.signal : AbortSignal.any([signal, turn.signal]),
      }
    },
    end() {
      begun?.then(
        (turn) => turn.close(),
        () => undefined,
      )
      begun = undefined
    },
  }
}
