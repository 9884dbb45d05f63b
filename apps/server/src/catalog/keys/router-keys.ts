import { about, block, choice, integer, integerIn, list, number, numberIn, plainText, plainTree } from './fields.ts'
import { RULES_JSON } from './rule-json.ts'

/** The `router` block (§2.12). */
export const ROUTER = {
  classifier: about(
    plainText,
    'score, colbert, knn, decisions, or none where rules and select decide. Default: score.',
  ),
  classifier_model: about(plainText, 'The model that the classifier asks. knn needs none.'),
  classifier_cache_size: about(integer, 'Prompts whose decision is remembered. 0 is the default: 1024.'),
  classifier_system_template: about(plainText, 'Go template of the system turn of score, with .Policies.'),
  score_normalization: about(choice('raw', 'mean'), 'mean divides log-probabilities by their tokens. Default: mean.'),
  activation_threshold: about(
    number,
    'From this score on a label is active: 0 to 1, or more for colbert. 0 is the default: 0.15 for score, 0.5 for colbert and decisions.',
  ),
  policies: about(list(block({ label: plainText, description: plainText })), 'The labels, and what each stands for.'),
  candidates: about(
    list(block({ model: plainText, labels: list(plainText) })),
    'Models from the smallest to the largest. The first that covers all active labels serves.',
  ),
  fallback: about(plainText, 'The model that serves where no candidate does.'),
  embedding_cache: about(
    block({
      embedding_model: plainText,
      similarity_threshold: about(number, 'The least cosine of a hit. Default: 0.80.'),
      confidence_threshold: about(number, 'The least score of a decision that is kept. Default: 0.60.'),
      store_name: about(plainText, 'Default: router-cache-<router>.'),
    }),
    'Decisions by similarity of prompts. Ignored with knn.',
  ),
  knn: about(
    block({
      embedding_model: plainText,
      embedding_revision: about(
        plainText,
        'Changes when the model changes without a trace: the corpus is embedded anew.',
      ),
      k: about(integerIn({ min: 0, max: 1024 }), 'Neighbours that vote. 0 is the default: 3.'),
      similarity_threshold: about(number, 'Neighbours below this cosine do not vote. Default: 0.80.'),
      vote_threshold: about(number, 'The least share of the votes that makes a label active. Default: 0.5.'),
      store_name: about(plainText, 'Default: router-corpus-<router>.'),
    }),
    'Settings of the classifier knn.',
  ),
  rules: about(
    plainTree({ expected: 'a list of rules', json: RULES_JSON }),
    'Rules by signals, in their order: before the classifier they decide, narrow the candidates or skip it; after it they replace its choice.',
  ),
  sticky: about(
    block({
      ttl_seconds: about(
        integerIn({ min: 1, max: 2_592_000 }),
        'Since the last request of a conversation. Default: 3600.',
      ),
      max_conversations: about(
        integerIn({ min: 1, max: 1_000_000 }),
        'The one that was silent longest goes first. Default: 10000.',
      ),
    }),
    'Conversations stay on their model, in the memory of this process.',
  ),
  select: about(
    block({
      by: about(choice('fitting', 'cheapest', 'fastest'), 'fitting: the first candidate that fits.'),
      expected_output_tokens: about(integerIn({ min: 0, max: 1_000_000 }), 'Tokens of an answer. Default: 500.'),
      explore: about(
        numberIn({ min: 0, max: 0.5 }),
        'Share of the choices of fastest that try a model which was not measured lately. Default: 0.05.',
      ),
      stale_seconds: about(integerIn({ min: 0, max: 86_400 }), 'From this age on a measurement is old. Default: 600.'),
    }),
    'Chooses among the candidates that fit, in the place of the first one that covers the labels.',
  ),
}
