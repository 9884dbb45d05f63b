/** A router to begin with: it works with the built-in models. */
export const ROUTER_TEMPLATE = `name: auto
router:
  classifier: knn # or score, colbert, decisions
  knn: { embedding_model: demo-embed, k: 1, similarity_threshold: 0.45 }
  policies:
    - { label: small_talk, description: "Greetings, thanks and small talk" }
    - { label: code, description: Writing and debugging source code }
  candidates: # from the smallest to the largest
    - { model: NAME_OF_A_SMALL_MODEL, labels: [small_talk] }
    - { model: NAME_OF_A_LARGE_MODEL, labels: [small_talk, code] }
  fallback: NAME_OF_A_LARGE_MODEL
`
