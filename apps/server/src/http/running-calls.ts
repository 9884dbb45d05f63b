import type { Authentication } from '@svc/auth'
import { checkModelAccess } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import type { AbortListener, AbortSignalLike } from '../ports.ts'
import type { ServerReply } from './messages.ts'
import { type AdmittedCaller, isRefusal } from './middleware/authorize.ts'

/** A call whose caller was let in, as far as it takes to ask again. */
export interface Admitted extends AdmittedCaller {
  /** Replaced when it is asked again: later decisions are made with the rights of then. */
  authentication: Authentication
  readonly outgoing: ServerReply
}

/** A model that a call uses. */
interface ModelUse {
  readonly model: string
  /** Further names by which the model is called. */
  readonly through: readonly string[]
}

/**
 * A call under way, with its early end. It acts like an abort signal for callers that only listen: a real one, with its
 * table of listeners, costs more than the rest of a relayed call and is made when it is asked for.
 */
export class RunningCall implements AbortSignalLike {
  /** Owned by the list; -1 outside of it. */
  place = -1
  aborted = false
  reason: SvcError | undefined
  /** The caller and the route; set when the gate has let the caller in. */
  admitted: Admitted | undefined
  #models: ModelUse[] | undefined
  readonly #listeners: AbortListener[] = []
  #controller: AbortController | undefined

  /** A real abort signal, for interfaces that require one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const index = this.#listeners.indexOf(listener)
    if (index >= 0) this.#listeners.splice(index, 1)
  }

  /** Notes a model that the call uses. */
  useModel(use: ModelUse): void {
    this.#models ??= []
    this.#models.push(use)
  }

  /** @throws {SvcError} `forbidden` when a caller may not use every model that was noted */
  checkModels({ principal }: Authentication): void {
    for (const { model, through } of this.#models ?? []) checkModelAccess(principal, model, through)
  }

  end(reason: SvcError): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#controller?.abort(reason)
    for (const listener of this.#listeners.splice(0)) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }
}

/**
 * The calls under way, in no order. An array, as a set that is added to and deleted from for ever makes new tables again
 * and again, and V8 keeps what was in the old ones, whole requests, until its next full collection.
 */
export class RunningCalls {
  readonly #calls: RunningCall[] = []

  add(call: RunningCall): void {
    call.place = this.#calls.length
    this.#calls.push(call)
  }

  delete(call: RunningCall): void {
    const last = this.#calls.at(-1)
    if (call.place < 0 || last === undefined) return
    this.#calls[call.place] = last
    last.place = call.place
    this.#calls.pop()
    call.place = -1
  }

  endAll(reason: SvcError): void {
    for (const call of [...this.#calls]) call.end(reason)
  }

  /** Ends the calls whose callers may no longer make them. A caller who cannot be looked up now stays. */
  async reauthorizeAll({ isConcerned, reauthorize, isCurrent }: Reauthorization): Promise<boolean> {
    // Most looks concern nobody, and there may be many calls.
    const concerned: { readonly call: RunningCall; readonly admitted: Admitted }[] = []
    for (const call of this.#calls) {
      const { admitted } = call
      if (admitted !== undefined && isAsked(admitted) && isConcerned(admitted.authentication))
        concerned.push({ call, admitted })
    }
    const outcomes = concerned.map(async ({ call, admitted }) => {
      try {
        const found = await reauthorize(admitted)
        call.checkModels(found)
        // An open route lets a caller go on who has lost the account.
        const isSame = found.principal.id === admitted.authentication.principal.id
        if (isSame && isCurrent()) admitted.authentication = found
        return true
      } catch (cause) {
        if (!isRefusal(cause)) return call.aborted
        call.end(accessEnded(cause))
        return true
      }
    })
    return (await Promise.all(outcomes)).every((wasAsked) => wasAsked)
  }
}

/** A look at the callers of the calls under way. */
export interface Reauthorization {
  /** Whether the rights of a caller may have changed. */
  readonly isConcerned: (authentication: Authentication) => boolean
  /** Rejects for a caller who may not go on. */
  readonly reauthorize: (admitted: AdmittedCaller) => Promise<Authentication>
  /** Whether no rights have changed since this look began. */
  readonly isCurrent: () => boolean
}

/** Whether a call ends with the rights of its caller. The call that changed the rights must still be answered. */
function isAsked({ route, outgoing }: Admitted): boolean {
  return route.usecase !== undefined || outgoing.headersSent
}

function accessEnded(cause: SvcError): SvcError {
  return new SvcError(cause.kind, 'access has ended', { code: 'access_ended', details: cause.details, cause })
}
