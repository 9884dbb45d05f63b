import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { Logger } from '../../../ports.ts'
import { compileReplyPattern, type ReplyPattern } from './reply-pattern.ts'

/** What a model's file does to the text of replies. */
export interface ReplyRules {
  /** `template.reply_prefix`: stands before every reply. */
  readonly prefix: string
  /** `cutstrings`: what matches is taken out. */
  readonly cut: readonly ReplyPattern[]
  /** `extract_regex`: only the first match of each is left, if there is any. */
  readonly extract: readonly ReplyPattern[]
  /** `trimspace`: each is taken away at the beginning, then white space at both ends. */
  readonly prefixes: readonly string[]
  /** `trimsuffix`: each is taken away at the end, then white space at both ends. */
  readonly suffixes: readonly string[]
}

/** The rules of models. */
export interface ReplyRuleBook {
  /** The rules of a model, compiled once for each config and forgotten with it. */
  rulesOf(model: ModelConfig): ReplyRules
}

/** A book with no rules yet. A pattern that is none is left out and logged once. */
export function createReplyRuleBook({ logger }: { readonly logger?: Logger | undefined } = {}): ReplyRuleBook {
  const known = new WeakMap<ModelConfig, ReplyRules>()
  return {
    rulesOf(model) {
      const rules = known.get(model) ?? compileRules(model, logger)
      known.set(model, rules)
      return rules
    },
  }
}

function compileRules(model: ModelConfig, logger: Logger | undefined): ReplyRules {
  const { cutstrings = [], extractRegex = [], trimspace = [], trimsuffix = [] } = model.llm
  const compile = (key: string, sources: readonly string[]): ReplyPattern[] =>
    sources.flatMap((source) => {
      try {
        return [compileReplyPattern(source)]
      } catch (error) {
        if (!SvcError.is(error)) throw error
        logger?.warn({ model: model.name, key, reason: error.message }, 'pattern of a model file is ignored')
        return []
      }
    })
  return {
    prefix: model.template.replyPrefix ?? '',
    cut: compile('cutstrings', cutstrings),
    extract: compile('extract_regex', extractRegex),
    prefixes: trimspace,
    suffixes: trimsuffix,
  }
}
