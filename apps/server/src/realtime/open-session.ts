import { checkModelAccess, type Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock, Logger } from '../ports.ts'
import type { CreateTurnTaker, PipelineStages, RealtimePeer, RealtimeSession } from './ports.ts'
import type { Rooms } from './rooms.ts'
import { createSession } from './session/create-session.ts'
import { newId } from './session/ids.ts'
import type { RateLimit } from './session/session-context.ts'
import { firstSettings, updateSettings } from './session/settings.ts'
import { showSession } from './session/show-session.ts'
import type { BeginTurn } from './session/turn-caller.ts'

/** A session that a caller asks for. */
export interface SessionRequest {
  readonly peer: RealtimePeer
  /** The name of the pipeline. */
  readonly model: string
  /** Settings that the session begins with. */
  readonly fields?: RealtimeSessionFields | undefined
  readonly principal: Principal
  readonly begin: BeginTurn
  readonly log: Logger
}

/** Opens realtime sessions, whatever brings their events and their sound. */
export interface Realtime {
  /**
   * Loads the models, and begins the session: `session.created` is sent. The session holds its place until it is closed.
   *
   * @throws {SvcError} `invalid_model`, `model_load_error`, `too_many_sessions`, `session_update_error`; refusals of access
   *   and quotas
   */
  open(request: SessionRequest, options: { readonly signal: AbortSignal }): Promise<RealtimeSession>
  /**
   * Shows the session that a caller would get.
   *
   * @throws {SvcError} `invalid_model`, `session_update_error`; `forbidden` for a model that the caller may not use
   */
  describe(request: Pick<SessionRequest, 'model' | 'fields' | 'principal'>): Promise<Record<string, unknown>>
}

/** Parts of {@link createRealtime}. */
export interface RealtimeParts {
  readonly findModel: (name: string) => ModelConfig | undefined
  /** Gives the stages of a session; undefined for a model that holds no conversations. */
  readonly createStages: (
    model: ModelConfig,
    options: { readonly through: readonly string[] },
  ) => PipelineStages | undefined
  readonly createTurnTaker: CreateTurnTaker
  readonly rooms: Rooms
  /** Gives what is left of the quotas of a caller. */
  readonly readLimits: (
    principal: Principal,
    options: { readonly signal: AbortSignal },
  ) => Promise<readonly RateLimit[]>
  readonly clock: Clock
  /** Whether clients see no details of errors. @default false */
  readonly hidesErrors?: boolean | undefined
}

/** The longest time of a session, milliseconds. */
export const MAX_SESSION_MS = 60 * 60_000

/** Creates the opener of sessions. */
export function createRealtime(parts: RealtimeParts): Realtime {
  const { findModel, createStages, createTurnTaker, rooms, readLimits, clock, hidesErrors } = parts

  function findStages(name: string): PipelineStages {
    if (name === '') throw noModel('the query names no model: model=<name of a pipeline>')
    const model = findModel(name)
    const stages = model === undefined ? undefined : createStages(model, { through: [name] })
    if (stages === undefined) throw noModel('there is no pipeline of this name; its file has a pipeline block')
    return stages
  }

  return {
    async describe({ model, fields = {}, principal }) {
      const { facts } = findStages(model)
      checkModelAccess(principal, facts.name, [model])
      const rules = { facts, models: [model, facts.name], hasSpoken: false, hasBegun: false }
      const settings = updateSettings(firstSettings(facts), fields, rules)
      const expiresAt = Math.floor((clock.now() + MAX_SESSION_MS) / 1000)
      return showSession(settings, {
        id: newId('sess'),
        model,
        transcriptionModel: facts.transcriptionModel,
        expiresAt,
      })
    },
    async open({ peer, model, fields, principal, begin, log }, { signal }) {
      const stages = findStages(model)
      const room = rooms.enter(principal)
      try {
        const turn = await begin(0, { signal })
        try {
          const call = { caller: turn.caller, signal: turn.signal }
          await stages.check(call)
          await load(stages, call)
        } finally {
          turn.close()
        }
        const session = createSession({
          peer,
          stages,
          createTurnTaker,
          begin,
          clock,
          log,
          fields,
          model,
          readLimits: (options) => readLimits(principal, options),
          memory: room.memory,
          hidesErrors,
          expiresAt: clock.now() + MAX_SESSION_MS,
        })
        return {
          ...session,
          async close() {
            await session.close()
            room.leave()
          },
        }
      } catch (error) {
        room.leave()
        throw error
      }
    },
  }
}

async function load(stages: PipelineStages, call: Parameters<PipelineStages['load']>[0]): Promise<void> {
  try {
    await stages.load(call)
  } catch (thrown) {
    if (!SvcError.is(thrown) || thrown.kind === 'cancelled' || thrown.kind === 'forbidden') throw thrown
    const { kind, message, details } = thrown
    throw new SvcError(kind, message, { code: 'model_load_error', details, cause: thrown })
  }
}

function noModel(message: string): SvcError {
  return new SvcError('invalid_request', message, {
    code: 'invalid_model',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}
