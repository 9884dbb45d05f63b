import type { ExpressionEngine } from '@svc/router/signals'
import { RE2JS } from 're2js'

/** Expressions of rules (RE2): matching takes time linear in the text. */
export const RULE_EXPRESSIONS: ExpressionEngine = {
  compile(pattern) {
    const compiled = RE2JS.compile(pattern)
    return (text) => compiled.matcher(text).find()
  },
}
