/**
 * The parts of an encoder: tokens with their places in a text, batches for a graph, and entities from its output. For
 * programs that run graphs by themselves; `@svc/pii/recogniser` puts the parts together. Needs the optional peer
 * `@huggingface/tokenizers`.
 *
 * @module
 */
export { type Classified, type Classifier, classify } from './classify.ts'
export { type Encoder, type RowOutput, runRows } from './encoder.ts'
export { AGGREGATIONS, type Aggregation, type Entity } from './entities.ts'
export type { GraphRun, GraphRunner, GraphShape, GraphValue, NumberBlock } from './graph.ts'
export { createBatchMaker, frameRow, type InputRow } from './input-batch.ts'
export { type Label, readLabelSet } from './labels.ts'
export { findMaxTokens, type JsonObject, readLabels } from './model-facts.ts'
export { softmax } from './softmax.ts'
export { type Frame, measureFrame } from './tokenizer/frame.ts'
export { createTextTokenizer, type TextTokenizer } from './tokenizer/tokenizer.ts'
