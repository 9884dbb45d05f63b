/** A router to begin with. */
export const ROUTER_TEMPLATE = `name: auto
router:
  classifier: score # or colbert, decisions, knn
  classifier_model: NAME_OF_A_SCORING_MODEL
  activation_threshold: 0.5
  policies:
    - { label: code, description: Writing and debugging source code }
    - { label: small_talk, description: "Greetings, thanks and small talk" }
  candidates: # from the smallest to the largest
    - { model: NAME_OF_A_SMALL_MODEL, labels: [small_talk] }
    - { model: NAME_OF_A_LARGE_MODEL, labels: [small_talk, code] }
  fallback: NAME_OF_A_LARGE_MODEL
`
