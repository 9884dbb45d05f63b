/** Times of the last turn: milliseconds of this browser's clock; absent where a stage has not ended. */
export interface TurnTimes {
  /** The end of speech, or the sending of a message. */
  readonly endedAt: number
  readonly transcribedAt?: number
  readonly firstTextAt?: number
  readonly firstSoundAt?: number
  readonly doneAt?: number
}

/** Stages of a turn in their usual order. */
export const STAGES = ['transcribed', 'firstText', 'firstSound', 'done'] as const
export type Stage = (typeof STAGES)[number]

/** Notes that a stage has ended, the first time that it does. Without a turn, nothing is noted. */
export function markStage(times: TurnTimes | undefined, stage: Stage, at: number): TurnTimes | undefined {
  if (times === undefined || times[`${stage}At`] !== undefined || times.doneAt !== undefined) return times
  return { ...times, [`${stage}At`]: at }
}

/** Milliseconds of the stages since the end of the turn, in their order. */
export function listStages(times: TurnTimes): readonly { readonly stage: Stage; readonly ms: number }[] {
  return STAGES.flatMap((stage) => {
    const at = times[`${stage}At`]
    return at === undefined ? [] : [{ stage, ms: Math.max(0, Math.round(at - times.endedAt)) }]
  })
}
