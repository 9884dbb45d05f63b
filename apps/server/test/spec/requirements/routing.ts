import { defineRequirements } from '../requirement.ts'

/** §6.4: the request path and a router's choice of a model. */
export const ROUTING = defineRequirements([
  {
    id: 'request:order:stages',
    section: '6.4',
    behavior:
      'Every inference request passes one list of stages in one order: body, resolve, global limit, router, access, model limit, filter, parse, model, reply.',
    state: 'built',
  },
  {
    id: 'request:order:disabled-model',
    section: '6.4',
    behavior: 'A disabled model serves no request.',
    state: 'built',
  },
  {
    id: 'request:order:outer-only',
    section: '6.4',
    behavior: 'Calls to detectors and classifiers inside a request take no slots of their own.',
    state: 'built',
  },
  {
    id: 'router:order:first',
    section: '6.4',
    behavior: 'The router runs before policy: filter, access and disabled state are those of the model it picked.',
    state: 'built',
  },
  {
    id: 'router:reply:served-model',
    section: '6.4',
    behavior:
      'The reply of a routed request names the model that served in the header `Served-Model`, relayed candidates included.',
    state: 'built',
  },
  {
    id: 'router:depth:violation',
    section: '6.4',
    behavior: 'A candidate that is a router itself fails the request with 500.',
    state: 'built',
  },
  {
    id: 'router:depth:kept-at-load',
    section: '6.4',
    behavior:
      'A router with a mistake in its block is reported and kept, and its requests fail with the specified 500.',
    state: 'built',
  },
  {
    id: 'router:fallback:uncovered',
    section: '6.4',
    behavior: 'The fallback serves when no candidate covers the active labels.',
    state: 'built',
  },
  {
    id: 'router:fallback:classifier-error',
    section: '6.4',
    behavior: 'The fallback serves when the classifier fails.',
    state: 'built',
  },
  {
    id: 'router:fallback:empty',
    section: '6.4',
    behavior: 'A request that needs a fallback where none is named fails with 500.',
    state: 'built',
  },
  {
    id: 'router:score:prompt',
    section: '6.4',
    behavior: '`score` lists the labels in a system prompt.',
    state: 'built',
  },
  {
    id: 'router:score:each-label',
    section: '6.4',
    behavior: '`score` scores every label by its length-normalised log-probability.',
    state: 'built',
  },
  {
    id: 'router:score:softmax',
    section: '6.4',
    behavior: '`score` turns the scores into probabilities by softmax.',
    state: 'built',
  },
  {
    id: 'router:score:activates',
    section: '6.4',
    behavior: '`score` activates the labels whose probability passes the threshold.',
    state: 'built',
  },
  {
    id: 'router:select:first-superset',
    section: '6.4',
    behavior: 'The first candidate whose labels hold all active ones is picked.',
    state: 'built',
  },
  {
    id: 'router:colbert:ranks',
    section: '6.4',
    behavior: '`colbert` ranks the description of each policy against the prompt with a reranker.',
    state: 'built',
  },
  {
    id: 'router:colbert:activates',
    section: '6.4',
    behavior: '`colbert` activates the labels whose score passes the threshold.',
    state: 'built',
  },
  {
    id: 'router:decisions:wait',
    section: '6.4',
    behavior:
      'Eight requests to decision models run at a time; further ones wait for a place within the time of their classification.',
    state: 'built',
  },
  {
    id: 'router:knn:votes',
    section: '6.4',
    behavior: '`knn` votes over a corpus of labelled texts.',
    state: 'built',
  },
  {
    id: 'router:knn:file',
    section: '6.4',
    behavior: 'The corpus of a router is one JSONL file under `router-corpus` in the data path.',
    state: 'built',
  },
  {
    id: 'router:knn:entry',
    section: '6.4',
    behavior: 'An entry of the corpus holds text, labels, vector, the name of the embedding model and its fingerprint.',
    state: 'built',
  },
  {
    id: 'router:knn:rebuilt',
    section: '6.4',
    behavior: 'The index in memory is rebuilt from the file without embedding anew.',
    state: 'built',
  },
  {
    id: 'router:knn:sync-error',
    section: '6.4',
    behavior: 'A lookup fails when file and index cannot be brought together.',
    state: 'built',
  },
  {
    id: 'router:knn:fingerprint-at-load',
    section: '6.4',
    behavior: 'A changed fingerprint embeds the corpus anew when the process starts next.',
    state: 'built',
  },
  {
    id: 'router:knn:fingerprint-live',
    section: '6.4',
    behavior: 'A fingerprint that changes while its corpus is indexed fails the classifier until a restart.',
    state: 'built',
  },
  {
    id: 'router:pii:own',
    section: '6.4',
    behavior:
      'Text for a classifier on another machine passes the PII policy of the router and that of the classifier: the stricter one counts.',
    state: 'built',
  },
  {
    id: 'router:demo:works',
    section: '6.4',
    behavior:
      'The router of `examples/demo-router` routes by `knn` on the built-in embedding model, with a corpus that finds the right model for 85 % of new texts.',
    state: 'built',
  },
  {
    id: 'router:cache:lookup',
    section: '6.4',
    behavior: 'The embedding cache answers with the nearest decision when its similarity reaches the threshold.',
    state: 'built',
  },
  {
    id: 'router:cache:miss',
    section: '6.4',
    behavior: 'A miss runs the classifier and keeps the decision if its score reaches the confidence threshold.',
    state: 'built',
  },
  {
    id: 'router:cache:failure',
    section: '6.4',
    behavior: 'A failure of the embedding or the store falls through to the classifier.',
    state: 'built',
  },
  {
    id: 'router:cache:cold',
    section: '6.4',
    behavior:
      'While its embedding model is being loaded, the embedding cache is passed by without an error after two seconds.',
    state: 'built',
  },
  {
    id: 'router:cache:in-memory',
    section: '6.4',
    behavior: 'The embedding cache is empty after a restart.',
    state: 'built',
  },
  {
    id: 'router:reload:rebuilds',
    section: '6.4',
    behavior: 'After `POST /models/reload` the classifier is built anew on the next request.',
    state: 'built',
  },
])
