/**
 * Patterns: the catalogue of built-ins, patterns of an operator, and the detector over both.
 *
 * @module
 */
export { findAllowListFault } from '../allow-list.ts'
export { withStandIns } from '../list-files.ts'
export { BUILTIN_NAMES, BUILTIN_SETS, type BuiltinName, type BuiltinSet } from './builtin-names.ts'
export { listBuiltinGroups } from './catalogue.ts'
export { CompiledPattern } from './compiled-pattern.ts'
export { MAX_PATTERNS, type PatternDetectorOptions, type PatternSettings } from './detector.ts'
export { PatternSyntaxError } from './errors.ts'
export { findUnknownGroup, type ReportingSettings } from './known-groups.ts'
export { createPatternDetector } from './late-detector.ts'
export { type PatternMatch, PatternMatcher, type PatternScan } from './matcher.ts'
