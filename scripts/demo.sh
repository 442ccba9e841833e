#!/usr/bin/env bash
# A session with the sample library, from nothing, offline. Run it with `make demo`.
set -euo pipefail
cd "$(dirname "$0")/.."

library=.demo/library
rm -rf .demo
mkdir .demo
cp -r samples/handbook .demo/handbook

say() { printf '\n# %s\n' "$*"; }

# Prints the command as one would type it, then runs it.
run() {
    local word line="\$ pincite --library $library"
    for word in "$@"; do
        [[ $word =~ ^[A-Za-z0-9_./:=-]+$ ]] && line+=" $word" || line+=" \"$word\""
    done
    printf '\n%s\n' "$line"
    pincite --library "$library" "$@"
}

# first FIELD QUERY: that field of the best hit.
first() {
    pincite --library "$library" search "$2" --json |
        python -c 'import json, sys; print(json.load(sys.stdin)["results"][0][sys.argv[1]])' "$1"
}

question="How many working days of paid annual leave?"
quote="Full-time employees receive 26 working days of paid annual leave"

say "Eleven files in English, German, French and Italian become a library."
run ingest .demo/handbook
run status

say "Ask in English, in German (no file contains the word Hundebiss), in French."
run search "$question" --limit 2
run search Hundebiss
run search "dépôt de garantie" --limit 1

say "Ask in English for what only a German regulation and an Italian contract say: by meaning."
run search "whom do I have to tell about a dog bite?" --limit 1 --explain
run search "compensation when the supplier delivers late" --limit 1

say "Every hit has a citation that pins version and span."
citation=$(first citation "$question")
run get "$citation"

say "Is the quote right? And with one figure altered?"
run verify "$quote"
run verify "${quote/26/27}" || [ $? -eq 1 ] # 1: the quote does not stand in the library as given

say "Give today's state a name, then change the rule and ingest again."
run baseline create spring
run baseline publish spring
printf '\n$ edit .demo/handbook/company/leave.md    (26 working days becomes 28)\n'
sed 's/26 working days/28 working days/' samples/handbook/company/leave.md >.demo/handbook/company/leave.md
run ingest .demo/handbook
run diff --from 1 --to 2

say "Today's answer is new; the answer of the baseline still stands, and so does its citation."
run search "$question" --limit 1
run search "$question" --limit 1 --read-context baseline:spring
run verify "$quote" --citation "$citation"
run history "$(first element_id "$question")"

say "How good are the answers? Golden queries measure it; a release that gets worse can be refused."
run eval samples/golden.yaml

printf '\nThe library is in %s. Try next: .venv-demo/bin/pincite --library %s search "working from abroad"\n' "$library" "$library"
