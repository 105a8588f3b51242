from graphlab.ui.main import main

main()
