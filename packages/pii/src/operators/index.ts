/**
 * Operators: other replacements of masked values than the fixed text, and their check.
 *
 * @module
 */
export {
  findOperatorFault,
  type MaskFunctions,
  type MaskOperator,
  type MaskOperators,
  type ReadSecret,
} from './operators.ts'
