import { isWordCode } from './code-set.ts'
import { CHECKPOINT_UNITS, DeadEnds } from './dead-ends.ts'
import { DEAD, type LazyAutomaton } from './lazy-automaton.ts'
import type { MatchList } from './match-list.ts'
import type { SourceText } from './source-text.ts'

/**
 * Characters that may be read in vain, and the extra number for each character of the text so far: reading that many
 * again costs about as much as reading one with the simulation.
 */
const WASTE_ALLOWED = 4096
const WASTE_PER_CHARACTER = 32

/** Allowed flushes of the automaton, and read characters that allow one more. */
const MAX_FLUSHES = 4
const CHARACTERS_PER_FLUSH = 4096

/** No longer match can follow; there is more to read; the automaton flushes too often to be useful. */
type Outcome = 'dead' | 'paused' | 'thrashing'

/**
 * Tries a pattern at its possible beginnings, one after the other. Characters after the end of a match, or without one,
 * may be read again for the next beginning; past a share of the text the search reports that it is wasteful.
 */
export class PrefixSearch {
  private readonly automaton: LazyAutomaton
  private readonly text: SourceText
  private readonly matches: MatchList
  private readonly flushesAtStart: number
  private readonly deadEnds = new DeadEnds()
  private wasted = 0
  private start = -1
  private position = 0
  private end = -1
  private state = DEAD
  private flushes = 0

  constructor(automaton: LazyAutomaton, text: SourceText, matches: MatchList) {
    this.automaton = automaton
    this.text = text
    this.matches = matches
    this.flushesAtStart = automaton.flushes
  }

  /** Whether an attempt is unfinished. */
  get isUnderWay(): boolean {
    return this.start >= 0
  }

  /** Begins an attempt; false when too much was read in vain. */
  begin(start: number): boolean {
    if (this.isWasteful(start)) return false
    const { automaton, text } = this
    this.start = start
    this.position = start
    this.end = -1
    this.state = automaton.start(start > 0 && isWordCode(text.codeBefore(start)))
    this.flushes = automaton.flushes
    return true
  }

  /** Continues, up to an offset at most. */
  resume(limit: number): 'done' | 'paused' | 'wasteful' {
    const { automaton, text } = this
    // Another text made the automaton drop its states while this attempt waited.
    if (this.flushes !== automaton.flushes) return this.giveUp()
    const outcome = this.readByStretches(limit)
    this.flushes = automaton.flushes
    if (outcome === 'thrashing') return this.giveUp()
    if (outcome === 'paused') {
      if (limit < text.length) return 'paused'
      const result = automaton.step(this.state, -1, text.startsSegment(limit), text.endsSegment(limit))
      if ((result & 1) === 1) this.end = limit
    }
    this.deadEnds.finish(this.end)
    this.wasted += this.position - Math.max(this.end, this.start)
    if (this.end > this.start) this.matches.add(this.start, this.end)
    this.start = -1
    return 'done'
  }

  private readByStretches(limit: number): Outcome {
    const { automaton } = this
    while (this.position < limit) {
      const stop = (Math.floor(this.position / CHECKPOINT_UNITS) + 1) * CHECKPOINT_UNITS
      const until = Math.min(limit, stop)
      const outcome = automaton.program.usesEdges ? this.readWithEdges(until) : this.read(until)
      if (outcome !== 'paused') return outcome
      if (this.position < stop) break
      if (this.deadEnds.isKnown(this.position, this.state, automaton.flushes)) {
        this.state = DEAD
        return 'dead'
      }
    }
    return 'paused'
  }

  private read(limit: number): Outcome {
    const { automaton } = this
    const { text } = this.text
    const { alphabet } = automaton.program
    const { mostFlushes } = this
    let { state, position, end } = this
    while (position < limit) {
      const unit = text.charCodeAt(position)
      const code = (unit & 0xfc00) === 0xd800 ? (text.codePointAt(position) ?? unit) : unit
      const result = automaton.step(state, alphabet.toClass(code), false, false)
      if ((result & 1) === 1) end = position
      state = result >> 1
      if (state === DEAD || automaton.flushes > mostFlushes) break
      position += code > 0xffff ? 2 : 1
    }
    this.state = state
    this.position = position
    this.end = end
    if (automaton.flushes > mostFlushes) return 'thrashing'
    return state === DEAD ? 'dead' : 'paused'
  }

  private readWithEdges(limit: number): Outcome {
    const { automaton, text } = this
    while (this.position < limit) {
      const { position } = this
      const code = text.codeAt(position)
      const result = automaton.step(
        this.state,
        automaton.program.alphabet.toClass(code),
        text.startsSegment(position),
        text.endsSegment(position),
      )
      if ((result & 1) === 1) this.end = position
      this.state = result >> 1
      if (automaton.flushes > this.mostFlushes) return 'thrashing'
      if (this.state === DEAD) return 'dead'
      this.position += code > 0xffff ? 2 : 1
    }
    return 'paused'
  }

  /** Past that number the text is unfit for an automaton. */
  private get mostFlushes(): number {
    return this.flushesAtStart + MAX_FLUSHES + Math.floor(this.position / CHARACTERS_PER_FLUSH)
  }

  private isWasteful(start: number): boolean {
    return this.wasted > WASTE_ALLOWED + WASTE_PER_CHARACTER * start
  }

  private giveUp(): 'wasteful' {
    this.deadEnds.finish(Number.MAX_SAFE_INTEGER)
    this.start = -1
    return 'wasteful'
  }
}
