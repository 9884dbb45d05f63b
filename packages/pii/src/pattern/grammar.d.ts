import { type PatternNode } from './ast.ts'
/** The longest source, in UTF-16 code units: far past what anyone writes, so that no ordinary pattern is refused. */
export declare const MAX_SOURCE_LENGTH = 65536
/** Groups inside groups: what keeps the walk over a pattern within the stack. */
export declare const MAX_NESTING = 500
/**
 * Parses a pattern of §2.11: literals, classes, `\w \d \s` and their negations, alternation, `(?:…)`, `^ $ \b` and
 * quantifiers. Lazy quantifiers are taken as greedy ones: the longest match counts.
 *
 * @throws PatternSyntaxError with position and reason
 */
export declare function parsePattern(source: string): PatternNode
/** The same without asking for a literal run: for built-in shapes that find their candidates in another way. */
export declare function parseUnanchored(source: string): PatternNode
