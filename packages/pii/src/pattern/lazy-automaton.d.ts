import { type Program } from './program.ts';
/** The dead state: no longer match can follow. */
export declare const DEAD = 0;
/**
 * A deterministic automaton over a program without counters, built state by state as texts ask for them. It is anchored:
 * it says how long a match is that begins where it was started. What it keeps is bounded; past the bound it starts anew.
 *
 * A step reads the class after a position, so whether a match ends at a position is known one step later: the lowest bit of
 * a step's result says that a match ended before the character that was read.
 */
export declare class LazyAutomaton {
    readonly program: Program;
    /** Columns: one a class and one for the end of the text, times the four kinds of segment edges when they matter. */
    private readonly columns;
    private readonly width;
    private kernels;
    private wordBefore;
    private byKey;
    private table;
    private units;
    private readonly visited;
    private visit;
    /** How often everything was thrown away. */
    flushes: number;
    private readonly around;
    constructor(program: Program);
    /** The state in front of a match that may begin after a character that is or is not a word character. */
    start(wordBefore: boolean): number;
    /**
     * Reads the class after a position (-1 at the end of the text). Twice the next state, plus 1 when a match ends at the
     * position.
     */
    step(state: number, nextClass: number, startsSegment: boolean, endsSegment: boolean): number;
    private build;
    /** Follows what takes no character; collects where the next character leads. Whether a match ends here. */
    private close;
    private stateOf;
    private clear;
}
