import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { Logger } from '../../../ports.ts'
import { compileReplyPattern, type ReplyPattern } from './reply-pattern.ts'

/** Rules of a model file for the text of replies. */
export interface ReplyRules {
  /** `template.reply_prefix`: precedes every reply. */
  readonly prefix: string
  /** `cutstrings`: matches are removed. */
  readonly cut: readonly ReplyPattern[]
  /** `extract_regex`: only the first match of each remains, if there is one. */
  readonly extract: readonly ReplyPattern[]
  /** `trimspace`: each is removed from the beginning, then white space from both ends. */
  readonly prefixes: readonly string[]
  /** `trimsuffix`: each is removed from the end, then white space from both ends. */
  readonly suffixes: readonly string[]
}

/** Rules of all models. */
export interface ReplyRuleBook {
  /** Gives the rules of a model. They are compiled once for each config and dropped with it. */
  findRules(model: ModelConfig): ReplyRules
}

/** Creates an empty book. An invalid pattern is skipped and logged once. */
export function createReplyRuleBook({ logger }: { readonly logger?: Logger | undefined } = {}): ReplyRuleBook {
  const known = new WeakMap<ModelConfig, ReplyRules>()
  return {
    findRules(model) {
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
