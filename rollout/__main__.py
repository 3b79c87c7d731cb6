"""`python -m rollout`."""

if __name__ == "__main__":
    from rollout.cli import main

    main()
