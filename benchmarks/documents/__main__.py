from benchmarks.documents.run import main

main()
