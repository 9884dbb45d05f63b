import { type LazyAutomaton } from './lazy-automaton.ts';
import type { MatchList } from './match-list.ts';
import type { SourceText } from './source-text.ts';
/**
 * Tries a pattern from places where it may begin, one after the other. What is read behind the end of a match, or without
 * one, may be read again for the next place; past a share of the text that is too much, and the search says so.
 */
export declare class PrefixSearch {
    private readonly automaton;
    private readonly text;
    private readonly matches;
    private readonly flushesAtStart;
    private wasted;
    private start;
    private position;
    private end;
    private state;
    private flushes;
    constructor(automaton: LazyAutomaton, text: SourceText, matches: MatchList);
    /** Whether a try is not finished. */
    get isUnderWay(): boolean;
    /** Begins a try; false when too much was read in vain. */
    begin(start: number): boolean;
    /** Reads on, up to an offset at most. */
    resume(limit: number): 'done' | 'paused' | 'wasteful';
    private read;
    private readWithEdges;
    private isWasteful;
    private giveUp;
}
