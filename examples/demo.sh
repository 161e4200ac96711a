#!/usr/bin/env bash
# The demo of the README: prints each command before it runs. Needs `ragraph` on the PATH.
set -euo pipefail
cd "$(dirname "$0")"

bold='' blue='' plain=''
if [ -t 1 ]; then bold=$'\033[1m' blue=$'\033[1;34m' plain=$'\033[0m'; fi

run() {
    printf '\n%s$ ragraph' "$blue"
    local word
    for word in "$@"; do
        [[ $word == *" "* ]] && word="\"$word\""
        printf ' %s' "$word"
    done
    printf '%s\n' "$plain"
    ragraph "$@"
}

say() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

# The first node of a JSON result.
first_node() { python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["node_id"])'; }

# The id of the document whose title starts with the given words.
document() {
    ragraph list --json | python3 -c '
import json, sys
print(next(item["id"] for item in json.load(sys.stdin) if item["title"].startswith(sys.argv[1])))' "$1"
}

say "Ingest a publication record with its PDF, a JATS article, an EPUB with endnotes, and a DOCX"
run ingest documents
run list

nist=dl_nist_sp_800_207
say "The table of contents of the PDF"
run toc $nist --depth 2

say "A page, by the number printed on it"
run page $nist iii

say "A search within one section"
run search "secure communication whatever the network location" --document $nist --section "2.1" -k 3

book=$(document "The Wealth of Nations")
say "A note, found through its paragraph"
run search "tenants who share the harvest with the landlord" --document "$book" -k 1
node=$(ragraph search "tenants who share the harvest with the landlord" --document "$book" -k 1 --json | first_node)
run related "$book" "$node" --type REFERENCES_NOTE

say "The text of the store about a question, in at most 150 tokens, under its headings"
run search "who makes the decision to grant access" --document $nist --expand auto --budget 150

say "Cite words of a document; words that it does not contain are refused"
node=$(ragraph search "policy engine is responsible for the decision to grant access" --document $nist -k 1 --json | first_node)
run cite $nist "$node" --quote "responsible for the ultimate decision to grant access"
run cite $nist "$node" --quote "responsible for every decision" || true

guide=$(document "A Field Guide")
say "A section as linear text, with its note after the paragraph"
run render "$guide" --section "Content nodes"

say "Check the rules of the model"
run check

say "Query this store yourself"
printf '\n  export PATH=%q:"$PATH" RAGRAPH_HOME=%q\n' "$(dirname "$(command -v ragraph)")" "${RAGRAPH_HOME:-}"
printf '  ragraph toc %s --depth 2\n' $nist
printf '  ragraph search "who decides on access" -k 3\n'
printf '  ragraph serve --open\n'
